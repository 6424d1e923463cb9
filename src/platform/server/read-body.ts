import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { slotOwnerOf } from '../auth/caller.js'
import { LARGE_BODY_BYTES } from './check-body.js'
import { bodyTooLarge, incompleteRequest } from './error-handler.js'

/** Bytes of the further blocks of a chunked body. */
const BLOCK_BYTES = 65_536

const bodyLimitOf = ({ routeOptions }: FastifyRequest): number => routeOptions.bodyLimit ?? 0

/**
 * Collects a body in counted blocks, because tiny chunks would take many times their bytes. A body
 * with a declared length counts from its beginning, a chunked body as it arrives, from {@link
 * LARGE_BODY_BYTES}.
 */
export class BodyCollector {
  readonly #request: FastifyRequest
  readonly #blocks: Buffer[] = []
  #bytesLeft: number
  /** Free bytes at the end of the last block. */
  #free = 0

  /** @throws NoSlot when the declared length is too large. */
  constructor(request: FastifyRequest) {
    this.#request = request
    this.#bytesLeft = bodyLimitOf(request)
    const announced = Number(request.headers['content-length'] ?? LARGE_BODY_BYTES)
    this.#append(Math.min(announced, this.#bytesLeft), announced > LARGE_BODY_BYTES)
  }

  /** @throws NoSlot, or Problem `payload-too-large`. */
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

  get bytes(): Buffer {
    const [first, ...others] = this.#blocks
    const all = others.length === 0 && first ? first : Buffer.concat(this.#blocks)
    return all.subarray(0, all.length - this.#free)
  }

  #append(bytes: number, isCounted: boolean): void {
    const { server, state } = this.#request
    if (isCounted) state.taken?.add(server.slots.bodyBytes.take(slotOwnerOf(state.call.caller), bytes))
    this.#blocks.push(Buffer.allocUnsafe(bytes))
    this.#free = bytes
  }
}

/** @throws NoSlot, or Problem `payload-too-large` or `incomplete-request`. */
export async function readBytes(request: FastifyRequest, stream: Readable): Promise<Buffer> {
  const limit = bodyLimitOf(request)
  if (Number(request.headers['content-length']) > limit) throw bodyTooLarge(limit)
  const body = new BodyCollector(request)
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) body.add(chunk)
  } catch (error) {
    // The stream was closed before its end, without an error of its own.
    if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') throw incompleteRequest()
    throw error
  } finally {
    // Discards the rest of a refused body.
    stream.resume()
  }
  return body.bytes
}
