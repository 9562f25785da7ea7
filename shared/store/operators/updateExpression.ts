/** Builds expressions of `UpdateItem` from plain objects. */
import type { Item } from '../item.ts'

/**
 * Builds the expressions of an update that makes the `changes` only if all `expected` values are still there. In both,
 * `undefined` stands for an absent attribute. All names are placeholders, because an attribute that was added by hand
 * may have any name.
 */
export function updateExpression(changes: Item, expected: Item) {
  const ExpressionAttributeNames: Record<string, string> = {}
  const ExpressionAttributeValues: Item = {}
  const nameOf = (attribute: string) => {
    const name = `#${Object.keys(ExpressionAttributeNames).length}`
    ExpressionAttributeNames[name] = attribute
    return name
  }
  const equation = ([attribute, value]: [string, unknown]) => {
    const name = nameOf(attribute)
    const placeholder = name.replace('#', ':')
    ExpressionAttributeValues[placeholder] = value
    return `${name} = ${placeholder}`
  }
  const condition = ([attribute, value]: [string, unknown]) =>
    value === undefined ? `attribute_not_exists(${nameOf(attribute)})` : equation([attribute, value])
  const attributes = Object.entries(changes)
  const set = attributes.filter(([, value]) => value !== undefined).map(equation)
  const removed = attributes.filter(([, value]) => value === undefined).map(([attribute]) => nameOf(attribute))
  return {
    UpdateExpression: [set.length > 0 && `SET ${set}`, removed.length > 0 && `REMOVE ${removed}`]
      .filter(Boolean)
      .join(' '),
    ConditionExpression: Object.entries(expected).map(condition).join(' AND '),
    ExpressionAttributeNames,
    ExpressionAttributeValues,
  }
}
