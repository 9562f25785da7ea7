/** POST /joke */
import { httpWithJson } from '../shared/http/requests.ts'
import { respondCreated } from '../shared/http/responses.ts'
import { JokeInput } from '../shared/joke.ts'
import { logAdded } from '../shared/log.ts'
import { createJoke } from '../shared/store/jokes.ts'
import { type Store, storeOfEnvironment } from '../shared/store/store.ts'
import { validate } from '../shared/validate.ts'

export const create = (getStore: () => Store) =>
  httpWithJson().handler(async (event) => {
    const input = validate(JokeInput, event.body)
    const joke = await createJoke(getStore(), input, event.requestContext?.requestId)
    logAdded(joke.id, event)
    return respondCreated(event, joke)
  })

export const handler = create(storeOfEnvironment)
