/** The schemas of the OpenAPI document, and their conversion to JSON Schema. */
import type { ConversionConfig } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { MAX_ERRORS } from '../shared/clientLimits.ts'
import { FIELD_CODES, PROBLEM_CODES, type ProblemCode } from '../shared/errors.ts'
import { Joke, JokeId, JokeInput } from '../shared/joke.ts'

/** The members of a problem document that has one of these codes. */
const problemMembers = (...codes: ProblemCode[]) => ({
  type: v.pipe(v.literal('about:blank'), v.description('Always the same: `code` says what kind of problem it is.')),
  title: v.pipe(v.string(), v.description('The name of the status.')),
  status: v.pipe(v.number(), v.integer(), v.description('The HTTP status.')),
  code: v.pipe(v.picklist(codes), v.description('What kind of problem it is, for programs.')),
  detail: v.pipe(v.string(), v.description('What went wrong, in a sentence for people. It may change at any time.')),
  requestId: v.pipe(v.string(), v.description("The request's id, which the logs of the service have.")),
})
const FieldError = v.object({
  field: v.pipe(v.string(), v.description('The field or parameter, or `body` or `query` for the whole of it.')),
  code: v.pipe(v.picklist(FIELD_CODES), v.description('What kind of fault it is, for programs.')),
  detail: v.pipe(v.string(), v.description('What is accepted there.')),
})
const message = v.pipe(v.string(), v.description('The message of API Gateway, which stands in front of the service.'))

/** The codes of failures that API Gateway may answer in the place of the service. */
const FAILURES = ['too-large', 'unavailable', 'not-counted', 'unknown-outcome', 'bug'] as const

const { category } = JokeInput.entries

/** Schemas by name. In generated clients, these become names of types. */
export const schemas = {
  Joke: v.pipe(v.object({ ...Joke.entries, category }), v.description('A joke as the service keeps it.')),
  JokeInput: v.pipe(JokeInput, v.description('A joke to add: with a punchline, or a pun without one.')),
  Category: category,
  Problem: v.pipe(v.object(problemMembers(...PROBLEM_CODES)), v.description('A problem document (RFC 9457).')),
  InvalidProblem: v.object({
    ...problemMembers('invalid'),
    errors: v.pipe(
      v.array(FieldError),
      v.minLength(1),
      v.maxLength(MAX_ERRORS),
      v.description(`Everything that is wrong with the request, or the first ${MAX_ERRORS} errors.`),
    ),
  }),
  FieldError,
  DuplicateProblem: v.object({
    ...problemMembers('duplicate', 'waiting', 'removed'),
    id: v.optional(v.pipe(JokeId, v.description('The existing joke. Present only if `code` is `duplicate`.'))),
  }),
  // One schema for both, because many generated clients read only one for each status.
  AnyProblem: v.pipe(
    v.object({ ...v.partial(v.object(problemMembers(...FAILURES))).entries, message: v.optional(message) }),
    v.description('A problem document of the service, or an error message of API Gateway in front of it.'),
  ),
  GatewayMessage: v.object({ message }),
}

/** Converts schemas to JSON Schema. Their descriptions say what it cannot express. */
export const CONVERSION: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => reference(referenceId).$ref,
  // Generated clients would send defaults, even with parameters that exclude them, and require fields that have one.
  overrideSchema: ({ jsonSchema: { default: _, ...schema } }) =>
    typeof schema.const === 'string' ? { type: 'string', ...schema } : schema,
  // Without a format, generated clients would count in 32 bits.
  overrideAction: ({ valibotAction, jsonSchema }) =>
    valibotAction.type === 'safe_integer' ? { ...jsonSchema, format: 'int64' } : undefined,
}

export function reference(schema: string) {
  return { $ref: `#/components/schemas/${schema}` }
}
