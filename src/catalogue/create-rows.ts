import { type UnitOfWork, unitOfWork } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import type { Ports } from '../ports.js'

/** Runs a unit of work that creates rows, and returns them. Their ids are stored for repeats. */
export async function createRows<R extends { id: string }>(
  ports: Ports,
  call: Call,
  create: (work: UnitOfWork) => Promise<R[]>
): Promise<R[]> {
  let rows: R[] = []
  await unitOfWork(ports, call, async (work) => {
    rows = await create(work)
    return rows.map(({ id }) => id)
  })
  return rows
}

/** The inputs of a bulk create with their locations in the body. */
export const atIndex = <I>(inputs: readonly I[]) => inputs.map((input, at) => ({ input, pointer: `/${at}` }))
