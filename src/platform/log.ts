import type { FastifyBaseLogger } from 'fastify'

/** Where what happens outside of requests is told. */
export type Log = Pick<FastifyBaseLogger, 'info' | 'warn'>
