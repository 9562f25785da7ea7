/** Settings, addresses and start-up errors of `npm start` and `npm run sam`. */
import { isIPv6 } from 'node:net'
import { join } from 'node:path'

/** The message says why the program cannot start, and what the user can do. */
export class CannotStart extends Error {
  override name = 'CannotStart'
}

export interface Address {
  host: string
  port: number
}

/** The default host. Only this machine can reach it, because anyone who can reach the service may add jokes. */
export const LOCALHOST = '127.0.0.1'

/** Returns the environment variables. Empty ones count as absent, because shells and CI systems mean that by them. */
export function environment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
}

export function dataFolder(): string {
  return environment().DATA_DIR ?? '.data'
}

/** Reads `HOST` and `PORT`. @throws {CannotStart} if `PORT` is not a port number */
export function readAddress(): Address {
  const { HOST = LOCALHOST, PORT = '3000' } = environment()
  if (!/^\d+$/.test(PORT) || Number(PORT) > 65_535)
    throw new CannotStart(`PORT must be a number from 0 to 65535, not ${PORT}.`)
  return { host: HOST, port: Number(PORT) }
}

/** Reads `APPROVAL`: whether new jokes wait. @throws {CannotStart} if it is neither `on` nor `off` */
export function readApproval(): boolean {
  const { APPROVAL = 'off' } = environment()
  if (!['on', 'off'].includes(APPROVAL)) throw new CannotStart(`APPROVAL must be on or off, not ${APPROVAL}.`)
  return APPROVAL === 'on'
}

/** Returns the file that holds the URL of an open database. After a crash, it still exists. */
export function inUseFile(folder: string): string {
  return join(folder, 'IN_USE')
}

/** Returns the URL of an address for clients on this machine. `local` is the machine's name in the URL. */
export function urlOf({ host, port }: Address, local = LOCALHOST): string {
  const name = [LOCALHOST, '0.0.0.0', '::'].includes(host) ? local : host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

/** Prints an error and ends the process. Only a {@link CannotStart} is printed without a stack trace. */
export function fail(error: unknown): never {
  console.error(error instanceof CannotStart ? error.message : error)
  process.exit(1)
}
