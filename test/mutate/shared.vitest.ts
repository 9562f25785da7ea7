import { projects } from './projects.ts'

export default projects(
  ['test/{atOnce,causes,http,joke,log,openapi,words}.test.ts'],
  'test/dynalite/{accept,events,invalid}.test.ts',
  'test/*/{create,list,removal,thumbsUp}.test.ts',
  'test/dynalite/hostile.test.ts',
)
