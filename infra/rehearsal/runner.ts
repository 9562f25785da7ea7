/** Runs the steps of a rehearsal, whatever happens to the end, and reports what they show. */
import { readFileSync } from 'node:fs'
import { sentenceOf } from '../../tools/commandLine.ts'
import type { Stage } from './stage.ts'

/** By their names, in their order. */
export type Steps = Record<string, Step>

/** Something that only AWS can show. */
interface Step {
  question: string
  /** What rests on the answer: a document and a passage in it. */
  document: [file: string, passage: string]
  /** The steps without whose success this one cannot be tried. */
  after?: string[]
  /** Also after a signal: it cleans up. */
  isCleanUp?: boolean
  /** Why the step cannot be shown here, if so. */
  unshown?(stage: Stage): string | undefined
  /** Returns the answer. @throws {Error} if it is not what the documents say */
  run(stage: Stage): Promise<string>
}

type Result = 'as documented' | 'OTHERWISE' | 'not shown' | 'NOT REACHED'

interface Outcome {
  result: Result
  answer: string
  seconds: number
}

/**
 * Returns whether all steps showed what the documents say, apart from those that cannot be shown here.
 *
 * @param stop ends the rehearsal; what cleans up still runs
 */
export async function rehearse(
  steps: Steps,
  stage: Stage,
  stop: AbortSignal,
  print: (line: string) => void,
): Promise<boolean> {
  // First of all: if a document no longer says what a step is for, nothing is made.
  for (const { document } of Object.values(steps)) placeOf(...document)
  const outcomes = new Map<string, Outcome>()
  for (const [name, step] of Object.entries(steps)) {
    print(`\n${name}: ${step.question}`)
    const start = performance.now()
    const [result, answer] = await resultOf(step, stage, stop, outcomes)
    outcomes.set(name, { result, answer, seconds: Math.round((performance.now() - start) / 1_000) })
    print(`   ${result}: ${answer.replaceAll('\n', '\n   ')}`)
    print(`   ${placeOf(...step.document)}: "${step.document[1]}"`)
  }
  const width = Math.max(...Object.keys(steps).map((name) => name.length))
  print('\nSummary')
  for (const [name, { result, answer, seconds }] of outcomes)
    print(`${name.padEnd(width)}  ${result.padEnd(13)}  ${`${seconds}`.padStart(5)} s  ${answer.split('\n', 1)[0]}`)
  return outcomes.values().every(({ result }) => result === 'as documented' || result === 'not shown')
}

/** Where a document says something, as `FILE:LINE`. @throws {Error} if it does not, or more than once */
export function placeOf(file: string, passage: string): string {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  // Lines break anywhere.
  const pattern = passage.split(' ').map(RegExp.escape).join('\\s+')
  const [match, ...others] = text.matchAll(new RegExp(pattern, 'g'))
  if (match === undefined || others.length > 0) throw new Error(`${file} must say once: ${passage}`)
  return `${file}:${text.slice(0, match.index).split('\n').length}`
}

async function resultOf(
  { after = [], isCleanUp = false, unshown, run }: Step,
  stage: Stage,
  stop: AbortSignal,
  outcomes: Map<string, Outcome>,
): Promise<[Result, string]> {
  if (stop.aborted && !isCleanUp) return ['NOT REACHED', 'stopped']
  const failed = after.find((name) => !['as documented', 'not shown'].includes(outcomes.get(name)?.result ?? ''))
  if (failed !== undefined) return ['NOT REACHED', `needs "${failed}"`]
  const reason = unshown?.(stage)
  if (reason !== undefined) return ['not shown', reason]
  try {
    return ['as documented', await run(stage)]
  } catch (error) {
    return stop.aborted && !isCleanUp ? ['NOT REACHED', 'stopped'] : ['OTHERWISE', sentenceOf(error)]
  }
}
