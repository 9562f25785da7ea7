/** `bin/jokes correct`: changes what leaves the id of a joke, which is a hash of its words. */
import { CATEGORIES } from '../shared/joke.ts'
import { correct } from './changes.ts'
import { CannotContinue, define, printable, RERUN } from './commandLine.ts'
import { categoryNamed } from './fields.ts'
import { idsIn } from './states.ts'
import { chooseStore } from './store.ts'

export const correctJoke = define(
  'correct',
  'Corrects the category, letter case, accents or punctuation of a joke. Its id, votes and date stay the same.',
  "correct D6-iOPHD7UoIaTyCl6O9nZ --joke 'What does a lamp say?'",
  'correct D6-iOPHD7UoIaTyCl6O9nZ --category School --stack JokeService',
)
  // An id may begin with a hyphen.
  .allowUnknownOption()
  .argument('<joke>', "the id of a joke, or a link from the page's Share button")
  .option('--joke <text>', 'its new setup')
  .option('--punchline <text>', "its new punchline; ' ' removes it, if the setup has its words")
  .option('--category <name>', `its new category: ${CATEGORIES.join(', ')}`, categoryNamed)
  .addHelpText('after', `\nA joke with other words is another joke: remove the old one, and add the new one.${RERUN}`)
  .action(async (named, { stack, ...texts }) => {
    if (Object.keys(texts).length === 0)
      throw new CannotContinue('Say what to correct: --joke, --punchline or --category.')
    const [id = '', ...others] = idsIn(named)
    if (others.length > 0) throw new CannotContinue('Name one joke at a time.')
    const corrected = await correct(await chooseStore(stack), id, texts)
    for (const { category, joke, punchline } of [corrected.before, corrected.after])
      console.log(printable([category, joke, punchline].filter(Boolean).join(' / ')))
    console.error('1 joke corrected.')
  })
