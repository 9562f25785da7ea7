/** What environment variables tell `npm start` and `npm run database`, and how the two say why they cannot start. */
import { isIPv6 } from 'node:net'
import { join } from 'node:path'

/** A reason not to start that its user can do something about, in plain sentences. */
export class CannotStart extends Error {
  override name = 'CannotStart'
}

export interface Address {
  host: string
  port: number
}

/** Only this machine can reach it: anybody who can may add jokes. */
export const THIS_MACHINE = '127.0.0.1'

/**
 * Reads `HOST`, `PORT` and `DATA_DIR`. Removes empty variables from the environment, those that the AWS SDK reads too:
 * shells and CI systems set them so, and mean that they are absent.
 *
 * @throws {CannotStart} where `PORT` is not a port number
 */
export function readEnvironment(defaultPort: string): Address & { folder: string } {
  for (const [name, value] of Object.entries(process.env)) if (value === '') delete process.env[name]
  const { HOST = THIS_MACHINE, PORT = defaultPort, DATA_DIR = '.data' } = process.env
  if (!/^\d+$/.test(PORT) || Number(PORT) > 65_535)
    throw new CannotStart(`PORT must be a number from 0 to 65535, not ${PORT}.`)
  return { host: HOST, port: Number(PORT), folder: DATA_DIR }
}

/** Exists in the folder of a database while it is open, and holds its address; also exists after a crash. */
export function inUseFile(folder: string): string {
  return join(folder, 'IN_USE')
}

/**
 * Where clients on this machine reach what listens at an address.
 *
 * @param local what to call this machine
 */
export function urlOf({ host, port }: Address, local = THIS_MACHINE): string {
  const name = [THIS_MACHINE, '0.0.0.0', '::'].includes(host) ? local : host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

/** Says why nothing can listen at an address. */
export function cannotListen({ host, port }: Address, error: unknown): CannotStart {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new CannotStart(`Port ${port} is already in use. Stop what uses it, or set PORT to another port.`)
    case 'EACCES':
      return new CannotStart(`You may not listen on port ${port}. Set PORT to a port above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CannotStart(`HOST must be an address of this machine, not ${host}.`)
    default:
      return new CannotStart(`Cannot listen on port ${port} of ${host}: ${messageOf(error)}.`)
  }
}

/** Ends the process. Only what its user can do nothing about comes with a stack trace. */
export function fail(error: unknown): never {
  console.error(error instanceof CannotStart ? error.message : error)
  process.exit(1)
}

/** The code that Node.js or LevelDB gives to an error, however deep it is wrapped. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return codeOf(error.cause) ?? ('code' in error ? String(error.code) : undefined)
}

/** What went wrong, however deep Node.js or the SDK has wrapped it. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : messageOf(error.cause)
}
