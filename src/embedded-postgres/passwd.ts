import { readFile } from 'node:fs/promises'

/** A user of the operating system. */
export interface Account {
  name: string
  uid: number
  gid: number
}

/** The users in /etc/passwd. Empty if there is no such file. */
export async function readAccounts(): Promise<Account[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return parseAccounts(text)
}

/** Parses a passwd file. Lines that are not users are skipped. */
export function parseAccounts(text: string): Account[] {
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter(
      (fields) => fields.length >= 4 && /^-?\d+$/.test(fields[2] ?? '') && /^-?\d+$/.test(fields[3] ?? '')
    )
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

/** A user for messages, such as `postgres (uid 101)`. */
export async function describeUser(uid: number): Promise<string> {
  const account = (await readAccounts()).find((candidate) => candidate.uid === uid)
  return account ? `${account.name} (uid ${uid})` : `uid ${uid}`
}
