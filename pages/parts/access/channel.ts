/*
 * How a sign-in comes back. The issuer's page may cut the pop-up from its opener, so they talk by a
 * channel, which only pages of this origin hear.
 */

/** From the return page: the query of its URL. To it: the state of the page that took it. */
type SignInMessage = { response: string } | { taken: string }

const open = () => new BroadcastChannel('ssl-sign-in')
const stateOf = (response: string) => new URLSearchParams(response).get('state')

/** Hands the response over to the page that waits for its state. Calls back when that took it. */
export function handOver(response: string, onTaken: () => void): void {
  const channel = open()
  channel.onmessage = ({ data }: MessageEvent<SignInMessage>) => {
    if ('taken' in data && data.taken === stateOf(response)) onTaken()
  }
  channel.postMessage({ response } satisfies SignInMessage)
}

/** Waits for the response with this state. Responses to other pages are left to them. */
export function responseTo(state: string, signal: AbortSignal): Promise<string> {
  const channel = open()
  return new Promise<string>((resolve, reject) => {
    channel.onmessage = ({ data }: MessageEvent<SignInMessage>) => {
      if (!('response' in data) || stateOf(data.response) !== state) return
      channel.postMessage({ taken: state } satisfies SignInMessage)
      resolve(data.response)
    }
    signal.addEventListener('abort', () => reject(signal.reason))
  }).finally(() => channel.close())
}
