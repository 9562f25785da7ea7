/** What `npm start` and `npm run database` share: settings, addresses, shutdown and start-up errors. */
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { codeOf, messageOf } from '../../shared/causes.ts'

/** Why it cannot start, and what the user can do about it, in plain sentences. */
export class CannotStart extends Error {
  override name = 'CannotStart'
}

export interface Address {
  host: string
  port: number
}

/** The default host. Anybody who can reach the service may add jokes, so by default only this machine can. */
export const LOCALHOST = '127.0.0.1'

/** The port of `npm start`, unless `PORT` says otherwise. */
export const DEFAULT_PORT = '3000'

/** The environment variables. Empty ones count as absent: shells and CI systems set them so to mean that. */
export function environment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
}

/** The folder of the local database. */
export function dataFolder(): string {
  return environment().DATA_DIR ?? '.data'
}

/** Reads `HOST` and `PORT`. @throws {CannotStart} if `PORT` is not a port number */
export function readAddress(defaultPort: string): Address {
  const { HOST = LOCALHOST, PORT = defaultPort } = environment()
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

/** A file in the folder of a database that holds its address. Exists while the database is open, and after a crash. */
export function inUseFile(folder: string): string {
  return join(folder, 'IN_USE')
}

/** The URL of an address for clients on this machine, whose name in the URL is `local`. */
export function urlOf({ host, port }: Address, local = LOCALHOST): string {
  const name = [LOCALHOST, '0.0.0.0', '::'].includes(host) ? local : host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

/** Stops and ends the process at Ctrl-C or SIGTERM. npm forwards Ctrl-C, so it may arrive, and call `stop`, twice. */
export function stopOnSignal(stop: () => Promise<void>): void {
  const end = () => stop().then(() => process.exit())
  process.on('SIGINT', end).on('SIGTERM', end)
}

/** Explains why nothing can listen on an address. */
export function cannotListen({ host, port }: Address, error: unknown): CannotStart {
  const notHere = `HOST must be an address of this machine, not ${host}.`
  const known: Record<string, string> = {
    EADDRINUSE: `Port ${port} is already in use. Stop what uses it, or set PORT to another port.`,
    EACCES: `You may not listen on port ${port}. Set PORT to a port above 1023.`,
    EADDRNOTAVAIL: notHere,
    ENOTFOUND: notHere,
  }
  return new CannotStart(known[`${codeOf(error)}`] ?? `Cannot listen on port ${port} of ${host}: ${messageOf(error)}.`)
}

/** Prints an error and ends the process; with a stack trace, unless it is a {@link CannotStart}. */
export function fail(error: unknown): never {
  console.error(error instanceof CannotStart ? error.message : error)
  process.exit(1)
}
