/** Typed access to the keys of constant objects. */

/** Like `Object.keys`, with the type of the keys. */
export function keysOf<Record extends object>(record: Record): (keyof Record & string)[] {
  return Object.keys(record).filter((key) => isKey(record, key))
}

export function isKey<Record extends object>(record: Record, key: string | null): key is keyof Record & string {
  return key !== null && Object.hasOwn(record, key)
}
