/** POST /thumbsUp/{id} */
import { http, respond } from '../shared/http.ts'
import { thumbUp } from '../shared/store/jokes.ts'

export const handler = http().handler(async ({ pathParameters }) => {
  const joke = await thumbUp(pathParameters?.id ?? '')
  return respond(200, joke)
})
