/** Building blocks of the schemas. */
import * as v from 'valibot'

/** A schema with the description that the OpenAPI document and error messages show. */
export function described<const Schema extends v.GenericSchema>(description: string, schema: Schema) {
  return v.pipe(schema, v.description(description))
}

/** One of a few texts; the error lists them. */
export function oneOf<const Options extends readonly string[]>(options: Options) {
  return v.picklist(options, `must be one of ${options.join(', ')}.`)
}
