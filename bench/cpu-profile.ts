/** What the profiler of V8 writes. */
export interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
}

/** The costliest of each kind. */
const most = 45

/** The functions that took most of the busy time: by themselves, with what they call, and by package. */
export function costs(profile: CpuProfile): string[] {
  const self = selfTimes(profile)
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id]))
  )
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]))
  const [own, total, packages] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>()
  ]
  let busy = 0
  for (const [id, time] of self) {
    const frame = frames.get(id)
    if (!frame || frame.functionName === '(idle)') continue
    busy += time
    add(own, nameOf(frame), time)
    add(packages, packageOf(frame), time)
    // A function that calls itself counts once.
    const callers = new Set<string>()
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const caller = frames.get(at)
      if (caller) callers.add(nameOf(caller))
    }
    for (const caller of callers) add(total, caller, time)
  }
  return [
    ...['-- by package', ...shares(packages, busy)],
    ...['-- by themselves', ...shares(own, busy)],
    ...['-- with what they call', ...shares(total, busy)]
  ]
}

function selfTimes({ samples, timeDeltas }: CpuProfile) {
  const times = new Map<number, number>()
  for (const [place, id] of samples.entries())
    times.set(id, (times.get(id) ?? 0) + Math.max(0, timeDeltas[place + 1] ?? 0))
  return times
}

const add = (to: Map<string, number>, name: string, time: number) => to.set(name, (to.get(name) ?? 0) + time)

const placeOf = (url: string) => url.replace(/^file:\/\//, '').replace(/^.*\/(node_modules|dist)\//, '$1/')
const nameOf = ({ functionName, url, lineNumber }: CallFrame) =>
  `${functionName || '(anonymous)'} ${placeOf(url)}:${lineNumber + 1}`
const packageOf = ({ functionName, url }: CallFrame) =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ??
  (url === '' ? functionName : placeOf(url).split('/').slice(0, 3).join('/'))

const shares = (times: ReadonlyMap<string, number>, busy: number) =>
  [...times]
    .sort(([, one], [, other]) => other - one)
    .slice(0, most)
    .map(([name, time]) => `${((100 * time) / busy).toFixed(1).padStart(5)} %  ${name}`)
