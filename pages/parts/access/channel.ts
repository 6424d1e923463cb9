/*
 * Returns the response of a sign-in to its page. The issuer's page may isolate the pop-up from its
 * opener, so both use a channel, which only pages of this origin receive.
 */

/**
 * From the return page: the query of its URL. To the return page: the state of the page that
 * accepted the response.
 */
type SignInMessage = { response: string } | { taken: string }

const open = () => new BroadcastChannel('ssl-sign-in')
const stateOf = (response: string) => new URLSearchParams(response).get('state')

/**
 * Hands the response over to the page that waits for its state. Calls back when that page has
 * accepted it.
 */
export function handOver(response: string, onTaken: () => void): void {
  const channel = open()
  channel.onmessage = ({ data }: MessageEvent<SignInMessage>) => {
    if ('taken' in data && data.taken === stateOf(response)) onTaken()
  }
  channel.postMessage({ response } satisfies SignInMessage)
}

/** Waits for the response with this state. Ignores responses to other pages. */
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
