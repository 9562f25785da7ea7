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
      const lines: string[] = []
      let isAnyOfStacks = false
      for (const thing of stage.things.values()) {
        const kind = KINDS[thing.type]
        const inRegion = ['--region', thing.region]
        if (!kind || !(await stage.aws(kind.find(thing.name), ...inRegion)).includes(thing.name)) continue
        for (const command of kind.remove(thing.name)) await stage.aws(command, ...inRegion)
        lines.push(
          `${thing.type} ${thing.name}: ${thing.isBeside ? 'made beside the stacks' : 'LEFT BY ITS STACK'}, deleted now`,
        )
        isAnyOfStacks ||= !thing.isBeside
      }
      if (isAnyOfStacks) throw new CannotContinue(lines.join('\n'))
      return [`${lines.length} things that were made beside the stacks, deleted now.`, ...lines, KEPT].join('\n')
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
