/** POST /joke */
import { http, jsonBody, respond } from '../shared/http.ts'
import { NewJoke } from '../shared/joke.ts'
import { addJoke } from '../shared/store/jokes.ts'
import { validate } from '../shared/validate.ts'

export const handler = http()
  .use(jsonBody())
  .handler(async ({ body }) => {
    const joke = await addJoke(validate(NewJoke, body, 'body'))
    return respond(201, joke, { 'content-type': 'application/vnd.json' })
  })
