import { handOver } from '../parts/access/channel.js'

/*
 * The redirect URI: hands the issuer's response over to the page that requested it, and closes. Its
 * text is for a window that stays open because that page is gone.
 */

const response = location.search
// The code is useless without its page, but is removed from the address anyway.
history.replaceState(null, '', location.pathname)
// After a sign-out there is no response.
if (response === '') window.close()
else handOver(response, () => window.close())
