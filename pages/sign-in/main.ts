import { handOver } from '../parts/access/channel.js'

/*
 * The redirect URI: hands the issuer's response over to the page that asked for it, and closes. Its
 * text is for a window that stays, because the page that asked is gone.
 */

const response = location.search
// The code is of no use without its page, but needs not stay in the address.
history.replaceState(null, '', location.pathname)
// After a sign-out there is no response.
if (response === '') window.close()
else handOver(response, () => window.close())
