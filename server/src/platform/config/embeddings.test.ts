import { expect, test } from 'vitest'
import { readEmbeddingsConfig } from './embeddings.ts'

const readWith = (url?: string, model?: string, dimensions?: string) =>
  readEmbeddingsConfig({
    GATEHOUSE_EMBEDDINGS_URL: url,
    GATEHOUSE_EMBEDDINGS_MODEL: model,
    GATEHOUSE_EMBEDDINGS_DIMENSIONS: dimensions,
  })

test('embeddings config: is undefined when neither URL nor model is set', () => {
  expect(readWith()).toBeUndefined()
  expect(readWith('', '')).toBeUndefined()
})

test('embeddings config: has URL, model and dimensions when they are set', () => {
  expect(readWith('http://127.0.0.1:8080/v1/', 'small')).toMatchObject({
    url: 'http://127.0.0.1:8080/v1',
    model: { name: 'small', dimensions: undefined },
  })
  expect(readWith('https://embeddings.example/v1', 'large', '256')).toMatchObject({ model: { name: 'large', dimensions: 256 } })
})

test.each([
  ['https://embeddings.example/v1', undefined, undefined, /must be set together/],
  [undefined, 'small', undefined, /must be set together/],
  ['embeddings.example', 'small', undefined, /_URL must be/],
  ['ftp://embeddings.example', 'small', undefined, /_URL must be/],
  ['https://key@embeddings.example/v1', 'small', undefined, /_URL must be/],
  ['https://embeddings.example/v1?key=1', 'small', undefined, /_URL must be/],
  ['https://embeddings.example/v1', 'small', '0', /_DIMENSIONS must be/],
  ['https://embeddings.example/v1', 'small', '1.5', /_DIMENSIONS must be/],
  ['https://embeddings.example/v1', 'small', 'many', /_DIMENSIONS must be/],
])('embeddings config: throws when URL, model and dimensions are %s, %s, %s', (url, model, dimensions, message) => {
  expect(() => readWith(url, model, dimensions)).toThrow(message)
})
