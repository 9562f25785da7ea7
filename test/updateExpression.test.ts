import { expect, it } from 'vitest'
import { updateExpression } from '../shared/store/operators/updateExpression.ts'

it('an update sets and removes attributes if others have the expected values', () => {
  const changes = { state: 'removed', shelf: undefined, removedAt: 'now', words: undefined }
  expect(updateExpression(changes, { state: 'listed', dateAdded: 'then' })).toEqual({
    UpdateExpression: 'SET #0 = :0,#1 = :1 REMOVE #2,#3',
    ConditionExpression: '#4 = :4 AND #5 = :5',
    ExpressionAttributeNames: {
      '#0': 'state',
      '#1': 'removedAt',
      '#2': 'shelf',
      '#3': 'words',
      '#4': 'state',
      '#5': 'dateAdded',
    },
    ExpressionAttributeValues: { ':0': 'removed', ':1': 'now', ':4': 'listed', ':5': 'then' },
  })
})

it('an update that only removes has no SET', () => {
  expect(updateExpression({ words: undefined }, {}).UpdateExpression).toBe('REMOVE #0')
})

it('an update that removes nothing has no REMOVE', () => {
  expect(updateExpression({ 'by hand: #1': 1 }, { state: 'listed' })).toMatchObject({
    UpdateExpression: 'SET #0 = :0',
    ExpressionAttributeNames: { '#0': 'by hand: #1' },
  })
})
