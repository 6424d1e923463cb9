/** What is made of a server's own addresses, codes and connections, once for each server that runs in this process. */
export function memoizePerApp<P extends { references: object }, T>(make: (ports: P) => T): (ports: P) => T {
  const made = new WeakMap<object, T>()
  return (ports) => {
    const known = made.get(ports.references)
    if (known !== undefined) return known
    const fresh = make(ports)
    made.set(ports.references, fresh)
    return fresh
  }
}
