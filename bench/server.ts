import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { unsignedToken } from '../scripts/unsigned-token.js'

/** The built program with an embedded PostgreSQL of its own, and callers of it. */
export interface BenchServer {
  url: string
  pid: number
  /** Calls as a clerk, who may do what catalogues need. */
  call(method: string, path: string, body?: FormData | string): Promise<Response>
  stop(): Promise<void>
}

/** Starts the server that `npm run build` has made. */
export async function startServer(port: number, settings: Record<string, string>): Promise<BenchServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ssl-bench-'))
  const child: ChildProcess = spawn('node', [join(import.meta.dirname, '..', 'dist', 'program', 'main.js')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOG_LEVEL: 'warn',
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      ...settings
    },
    stdio: 'inherit'
  })
  const url = `http://127.0.0.1:${port}`
  const authorization = unsignedToken({
    userType: 'AdministrativeClerk',
    organization: 'https://fhir.example/Organization/bench'
  })
  for (let attempt = 0; attempt < 300; attempt++) {
    if ((await fetch(`${url}/health/ready`).catch(() => undefined))?.ok) break
    await pause(100)
  }
  return {
    url,
    pid: child.pid ?? 0,
    call: (method, path, body) =>
      fetch(url + path, {
        method,
        headers: {
          authorization,
          ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {})
        },
        ...(body === undefined ? {} : { body })
      }),
    async stop() {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The most memory that a process had since the last {@link forgetPeak}, in megabytes (Linux). */
export function peakOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}
