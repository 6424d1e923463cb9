/** Memoizes a function of the ports, once for each app in this process (tests run several). */
export function memoizePerApp<P extends { resourceUrls: object }, T>(make: (ports: P) => T): (ports: P) => T {
  const made = new WeakMap<object, T>()
  return (ports) => {
    const known = made.get(ports.resourceUrls)
    if (known !== undefined) return known
    const fresh = make(ports)
    made.set(ports.resourceUrls, fresh)
    return fresh
  }
}
