/** How many mutants the tests notice, from the last reports of `npm run mutate`. */
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import * as v from 'valibot'
import { circumstances, report, table } from './bench.ts'

/** A report of Stryker, as far as it is read here (https://github.com/stryker-mutator/mutation-testing-elements). */
const Report = v.object({
  files: v.record(v.string(), v.object({ mutants: v.array(v.object({ status: v.string() })) })),
})

/** What becomes of a mutant. The first two are noticed. */
const STATUSES = ['Killed', 'Timeout', 'Survived', 'NoCoverage']

/** Sums up the reports. */
export function countMutants(isWritten: boolean): void {
  const rows = globSync('reports/mutation/*.json').map((file) => {
    const { files } = v.parse(Report, JSON.parse(readFileSync(file, 'utf8')))
    const found = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
    const counts = STATUSES.map((wanted) => found.filter((status) => status === wanted).length)
    const [killed = 0, ended = 0] = counts
    const all = counts.reduce((sum, count) => sum + count, 0)
    return [basename(file, '.json'), all, ...counts, `${((100 * (killed + ended)) / all).toFixed(1)} %`]
  })
  const head = ['', 'mutants', 'killed', 'ended by the time limit', 'survived', 'run by no test', 'noticed']
  report('Mutation tests', `${introduction()}\n\n${table(head, rows.toSorted())}`, isWritten)
}

function introduction(): string {
  return `Made by \`npm run bench -- mutants --write\` from the reports of \`npm run mutate\`, which changes a place of the code at a time. ${circumstances()}. \`shared\` is what a joke and a listing are, HTTP, logs and the functions; \`reading\` is how listings find jokes; \`writing\` is how jokes are written, removed, reindexed and restored; \`tools\` is the commands, without \`locate\`, and the probe. The page runs in a browser, where mutants cannot be switched on.`
}
