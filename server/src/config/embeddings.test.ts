import { expect, test } from 'vitest'
import { embeddings } from './embeddings.ts'

const given = (url?: string, model?: string, dimensions?: string) =>
  embeddings({
    GATEHOUSE_EMBEDDINGS_URL: url,
    GATEHOUSE_EMBEDDINGS_MODEL: model,
    GATEHOUSE_EMBEDDINGS_DIMENSIONS: dimensions,
  })

test('without an address and a model there is no embedder', () => {
  expect(given()).toBeUndefined()
  expect(given('', '')).toBeUndefined()
})

test('an address, a model, and how many dimensions to ask for', () => {
  expect(given('http://127.0.0.1:8080/v1/', 'small')).toMatchObject({
    url: 'http://127.0.0.1:8080/v1',
    model: { name: 'small', dimensions: undefined },
  })
  expect(given('https://embeddings.example/v1', 'large', '256')).toMatchObject({ model: { name: 'large', dimensions: 256 } })
})

test.each([
  ['https://embeddings.example/v1', undefined, undefined, /belong together/],
  [undefined, 'small', undefined, /belong together/],
  ['embeddings.example', 'small', undefined, /_URL must be/],
  ['ftp://embeddings.example', 'small', undefined, /_URL must be/],
  ['https://key@embeddings.example/v1', 'small', undefined, /_URL must be/],
  ['https://embeddings.example/v1?key=1', 'small', undefined, /_URL must be/],
  ['https://embeddings.example/v1', 'small', '0', /_DIMENSIONS must be/],
  ['https://embeddings.example/v1', 'small', '1.5', /_DIMENSIONS must be/],
  ['https://embeddings.example/v1', 'small', 'many', /_DIMENSIONS must be/],
])('%s, %s, %s stops the start', (url, model, dimensions, message) => {
  expect(() => given(url, model, dimensions)).toThrow(message)
})
