/** What is made of a server's own addresses, codes and connections, once for each server that runs in this process. */
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
