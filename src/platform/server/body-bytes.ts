import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { shareKeysOf } from '../auth/caller.js'
import { PermitRefused, type ShareKeys } from '../concurrency/semaphore.js'
import { LARGE_BODY_BYTES, toRefusal } from './bulkhead.js'
import { bodyTooLarge } from './error-handler.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The bytes of all request bodies in memory. */
    bodyBytes: ByteBudget
  }
}

const MIB = 1_048_576

/** Maximum bytes of all bodies, and those of a caller and of an organization. */
const TOTAL_BYTES = 128 * MIB
const SHARES = [32 * MIB, 64 * MIB]

/** Bytes of the further blocks of a chunked body. */
const BLOCK_BYTES = 65_536

/** A semaphore whose permits are bytes, without a queue. */
interface ByteBudget {
  /** Bytes that are taken. */
  readonly taken: number
  /**
   * Takes bytes. Returns the function that releases them.
   * @throws PermitRefused
   */
  take(bytes: number, keys: ShareKeys): () => void
}

function createByteBudget(total: number, shares: readonly number[]): ByteBudget {
  let taken = 0
  const takenBy = shares.map(() => new Map<string, number>())

  function add(bytes: number, keys: ShareKeys): void {
    taken += bytes
    for (const [at, byKey] of takenBy.entries()) {
      const key = keys[at] ?? ''
      const sum = (byKey.get(key) ?? 0) + bytes
      if (sum > 0) byKey.set(key, sum)
      else byKey.delete(key)
    }
  }

  return {
    get taken() {
      return taken
    },
    take(bytes, keys) {
      const isOver = (share: number, at: number) => (takenBy[at]?.get(keys[at] ?? '') ?? 0) + bytes > share
      if (shares.some(isOver)) throw new PermitRefused('share-full')
      if (taken + bytes > total) throw new PermitRefused('queue-full')
      add(bytes, keys)
      return () => add(-bytes, keys)
    }
  }
}

/**
 * Counts the bytes of bodies before they are read. An announced body counts from its beginning, a
 * chunked one as it arrives. A body below {@link LARGE_BODY_BYTES} does not count.
 */
export function countBodyBytes(app: FastifyInstance): void {
  app.decorate('bodyBytes', createByteBudget(TOTAL_BYTES, SHARES))
}

const bodyLimitOf = ({ routeOptions }: FastifyRequest): number => routeOptions.bodyLimit ?? 0

/** Collects a body in counted blocks. A list of tiny chunks would take many times their bytes. */
export class BodyCollector {
  readonly #request: FastifyRequest
  readonly #blocks: Buffer[] = []
  #bytesLeft: number
  /** Free bytes at the end of the last block. */
  #free = 0

  /** @throws Problem `too-many-requests` or `busy` when the announced bytes are too many. */
  constructor(request: FastifyRequest) {
    this.#request = request
    this.#bytesLeft = bodyLimitOf(request)
    const announced = Number(request.headers['content-length'] ?? LARGE_BODY_BYTES)
    this.#append(Math.min(announced, this.#bytesLeft), announced > LARGE_BODY_BYTES)
  }

  /** @throws Problem `payload-too-large`, `too-many-requests` or `busy`. */
  add(chunk: Buffer): void {
    this.#bytesLeft -= chunk.length
    if (this.#bytesLeft < 0) throw bodyTooLarge(bodyLimitOf(this.#request))
    for (let at = 0; at < chunk.length; ) {
      if (this.#free === 0) this.#append(BLOCK_BYTES, true)
      const last = this.#blocks.at(-1) as Buffer
      const copied = chunk.copy(last, last.length - this.#free, at)
      this.#free -= copied
      at += copied
    }
  }

  /** What has arrived. */
  get bytes(): Buffer {
    const [first, ...others] = this.#blocks
    const all = others.length === 0 && first ? first : Buffer.concat(this.#blocks)
    return all.subarray(0, all.length - this.#free)
  }

  #append(bytes: number, isCounted: boolean): void {
    const { server, state } = this.#request
    try {
      if (isCounted) state.taken?.add(server.bodyBytes.take(bytes, shareKeysOf(state.call.caller)))
    } catch (cause) {
      throw toRefusal(cause)
    }
    this.#blocks.push(Buffer.allocUnsafe(bytes))
    this.#free = bytes
  }
}

/**
 * Reads a body.
 * @throws Problem `payload-too-large`, `too-many-requests` or `busy`.
 */
export async function readBytes(request: FastifyRequest, stream: Readable): Promise<Buffer> {
  const limit = bodyLimitOf(request)
  if (Number(request.headers['content-length']) > limit) throw bodyTooLarge(limit)
  const body = new BodyCollector(request)
  return new Promise((resolve, reject) => {
    const add = (chunk: Buffer) => {
      try {
        body.add(chunk)
      } catch (refusal) {
        fail(refusal)
      }
    }
    const end = () => {
      stop()
      resolve(body.bytes)
    }
    const fail = (error: unknown) => {
      stop()
      reject(error)
    }
    const stop = () => stream.off('data', add).off('end', end).off('error', fail)
    stream.on('data', add).on('end', end).on('error', fail)
  })
}
