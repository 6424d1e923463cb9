/**
 * Opens a window in which users sign in or out.
 * @param signal closes it.
 */
export function openWindow(url: string, signal?: AbortSignal): Window | null {
  const popup = window.open('', '_blank', 'popup,width=520,height=720')
  if (!popup) return null
  // The issuer's page must not navigate this page.
  popup.opener = null
  if (url !== '') popup.location.href = url
  signal?.addEventListener('abort', () => popup.close())
  return popup
}

/**
 * Resolves with true when a window is closed, or seems closed because the issuer isolates it from
 * the page that opened it.
 */
export function windowClosed(popup: Window, signal: AbortSignal): Promise<true> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!popup.closed && !signal.aborted) return
      clearInterval(timer)
      resolve(true)
    }, 500)
  })
}
