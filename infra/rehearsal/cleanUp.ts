/** How a rehearsal ends, whatever happened before: nothing of its stage is left. */
import { CannotContinue } from '../../tools/commandLine.ts'
import type { Steps } from './runner.ts'

export const CLEAN_UP: Steps = {
  destroy: {
    question: 'Can the stacks be destroyed?',
    document: ['docs/operations.md', 'whose tables are deleted with it'],
    isCleanUp: true,
    async run(stage) {
      for (const stack of [stage.page, stage.stack]) await stage.destroy(stack).catch(() => stage.destroy(stack))
      return `${stage.page} and ${stage.stack} do not exist any more.`
    },
  },
  leftovers: {
    question: 'What do destroyed stacks leave?',
    document: ['docs/rehearsal.md', 'Nothing of the stacks themselves is left'],
    after: ['destroy'],
    isCleanUp: true,
    async run(stage) {
      const { drillTable, region } = stage
      const things = [...stage.things.values(), { type: 'AWS::DynamoDB::Table', name: drillTable, region }]
      const [ofStacks, beside]: [string[], string[]] = [[], []]
      for (const { type, name, region } of things) {
        const kind = KINDS[type]
        const inRegion = ['--region', region]
        if (!kind || !(await stage.aws(kind.find(name), ...inRegion)).includes(name)) continue
        for (const command of kind.remove(name)) await stage.aws(command, ...inRegion)
        const isBeside = name === drillTable || name.startsWith('/aws/lambda/')
        ;(isBeside ? beside : ofStacks).push(`${type} ${name}: deleted now`)
      }
      const seen = [`Made beside the stacks: ${beside.length}.`, ...beside, KEPT]
      if (ofStacks.length > 0) throw new CannotContinue(['Left by their stacks:', ...ofStacks, ...seen].join('\n'))
      return seen.join('\n')
    },
  },
}

const KEPT = "Kept: system backups of the tables, for 35 days and without cost; files in the CDK's own buckets."

/** How to find something by its name, and how to delete it. Other types cannot outlive their stack. */
const KINDS: Record<string, { find: (name: string) => string; remove: (name: string) => string[] }> = {
  'AWS::DynamoDB::Table': {
    find: (name) => `dynamodb list-tables --query TableNames[?@=='${name}']`,
    // One that is still being restored cannot be deleted.
    remove: (name) => [`dynamodb wait table-exists --table-name ${name}`, `dynamodb delete-table --table-name ${name}`],
  },
  'AWS::Logs::LogGroup': {
    find: (name) =>
      `logs describe-log-groups --log-group-name-prefix ${name} --query logGroups[?logGroupName=='${name}'].logGroupName`,
    remove: (name) => [`logs delete-log-group --log-group-name ${name}`],
  },
  'AWS::S3::Bucket': {
    find: (name) => `s3api list-buckets --query Buckets[?Name=='${name}'].Name`,
    remove: (name) => [`s3 rb s3://${name} --force`],
  },
}
