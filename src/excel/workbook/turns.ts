import { refuse, WorkbookRefusal } from './refusal.js'

/** Does something when it is its turn; the work calls `free` when its place is free again, which may be after its result. */
export type TakeTurn = <T>(work: (free: () => void) => Promise<T>) => Promise<T>

/** Lets so much be done at once; the rest waits, in the order it came, up to a number and a time. */
export function turns(limits: { atOnce: number; waiting: number; milliseconds: number }): TakeTurn {
  const queue: (() => void)[] = []
  let underWay = 0

  const wait = () =>
    new Promise<void>((resolve, reject) => {
      if (queue.length >= limits.waiting) refuse('busy')
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1)
        reject(new WorkbookRefusal({ code: 'busy' }))
      }, limits.milliseconds)
      queue.push(begin)
    })

  // A place is handed on rather than freed and taken, so that nobody comes between.
  const handOn = () => {
    const next = queue.shift()
    if (next) next()
    else underWay--
  }

  return async (work) => {
    if (underWay < limits.atOnce) underWay++
    else await wait()
    let isFree = false
    return work(() => {
      if (!isFree) handOn()
      isFree = true
    })
  }
}
