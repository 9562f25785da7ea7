import { projects } from './projects.ts'

export default projects(
  ['test/{atOnce,causes,http,log,openapi,send,words}.test.ts'],
  'test/input/{accept,invalid,unusual}.test.ts',
  'test/*/{create,list,random,removal,thumbsUp}.test.ts',
  'test/input/fuzz.test.ts',
)
