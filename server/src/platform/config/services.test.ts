import { expect, test } from 'vitest'
import { ConfigError } from './environment.ts'
import { readDatabaseUrls, readEmbeddingsConfig, readMailConfig, readOcrConfig, readRerankConfig } from './services.ts'

const url = 'smtps://user:secret@mail.example.com:465'
const from = 'Gatehouse <gatehouse@example.com>'

test('mail: the configuration names the variable of the URL, which holds a password', () => {
  const config = readMailConfig({ GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: from })
  expect(config).toEqual({ from, smtpUrlEnv: 'GATEHOUSE_SMTP_URL' })
  expect(readMailConfig({})).toBeUndefined()
})

test.each([
  ['without a sender', { GATEHOUSE_SMTP_URL: url }],
  ['without a server', { GATEHOUSE_MAIL_FROM: from }],
  ['with another protocol', { GATEHOUSE_SMTP_URL: 'https://mail.example.com', GATEHOUSE_MAIL_FROM: from }],
  ['with a sender that is no address', { GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: 'Gatehouse' }],
  ['with a sender of two lines', { GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: 'a@example.com\r\nBcc: b@example.com' }],
])('mail: the start fails %s', (_, env) => {
  expect(() => readMailConfig(env)).toThrow(ConfigError)
})

const readEmbeddings = (url?: string, model?: string, dimensions?: string) =>
  readEmbeddingsConfig({
    GATEHOUSE_EMBEDDINGS_URL: url,
    GATEHOUSE_EMBEDDINGS_MODEL: model,
    GATEHOUSE_EMBEDDINGS_DIMENSIONS: dimensions,
  })

test('embeddings config: has URL, model and dimensions when they are set', () => {
  expect([readEmbeddings(), readEmbeddings('', '')]).toEqual([undefined, undefined])
  expect(readEmbeddings('http://127.0.0.1:8080/v1/', 'small')).toMatchObject({
    url: 'http://127.0.0.1:8080/v1',
    model: { name: 'small', dimensions: undefined },
  })
  expect(readEmbeddings('https://embeddings.example/v1', 'large', '256')?.model).toEqual({ name: 'large', dimensions: 256 })
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
  expect(() => readEmbeddings(url, model, dimensions)).toThrow(message)
})

test('embeddings and rerank config: have a ceiling and a region, by default none', () => {
  const env = {
    GATEHOUSE_EMBEDDINGS_URL: 'https://embeddings.example/v1',
    GATEHOUSE_EMBEDDINGS_MODEL: 'large',
    GATEHOUSE_RERANK_URL: 'https://rerank.example/v2',
    GATEHOUSE_RERANK_MODEL: 'r-1',
  }
  const none = { maxClassification: 'restricted', region: undefined }
  expect([readEmbeddingsConfig(env)?.limits, readRerankConfig(env)?.limits]).toEqual([none, none])
  const set = { ...env, GATEHOUSE_EMBEDDINGS_MAX_CLASSIFICATION: 'internal', GATEHOUSE_RERANK_REGION: 'eu' }
  expect(readEmbeddingsConfig(set)?.limits).toEqual({ maxClassification: 'internal', region: undefined })
  expect(readRerankConfig(set)?.limits).toEqual({ maxClassification: 'restricted', region: 'eu' })
  expect(() => readEmbeddingsConfig({ ...env, GATEHOUSE_EMBEDDINGS_MAX_CLASSIFICATION: 'secret' })).toThrow(
    /_MAX_CLASSIFICATION must be one of public, internal/,
  )
})

test('OCR config: has a program without secrets, or a URL, and a time limit', () => {
  expect(readOcrConfig({})).toBeUndefined()
  const env = { PATH: '/bin', GATEHOUSE_SECRET_KEY: 'secret', GATEHOUSE_OCR_COMMAND: 'ocr - -', GATEHOUSE_OCR_SECONDS: '30' }
  expect(readOcrConfig(env)).toEqual({ hook: { command: ['ocr', '-', '-'], environment: { PATH: '/bin' } }, timeoutMs: 30_000 })
  const url = 'http://127.0.0.1:9/ocr'
  expect(readOcrConfig({ GATEHOUSE_OCR_URL: url })).toEqual({ hook: { url }, timeoutMs: 120_000 })
})

test.each([
  [{ GATEHOUSE_OCR_COMMAND: 'ocr', GATEHOUSE_OCR_URL: 'http://ocr.example' }, /exclude each other/],
  [{ GATEHOUSE_OCR_COMMAND: '["ocr", 1]' }, /_COMMAND must be words/],
  [{ GATEHOUSE_OCR_URL: 'ftp://ocr.example' }, /_URL must be/],
  [{ GATEHOUSE_OCR_URL: 'http://user@ocr.example' }, /_URL must be/],
])('OCR config: throws for %j', (env, message) => {
  expect(() => readOcrConfig(env)).toThrow(message)
})

test('rerank config: has URL and model when both are set', () => {
  const read = (url?: string, model?: string) => readRerankConfig({ GATEHOUSE_RERANK_URL: url, GATEHOUSE_RERANK_MODEL: model })
  expect(read()).toBeUndefined()
  expect(read('https://rerank.example/v2/', 'large')).toMatchObject({ url: 'https://rerank.example/v2', model: 'large' })
  expect(() => read('https://rerank.example/v2')).toThrow(/must be set together/)
  expect(() => read(undefined, 'large')).toThrow(/must be set together/)
  expect(() => read('https://key@rerank.example', 'large')).toThrow(/_URL must be/)
})

const DATABASE_URL = 'postgres://gatehouse@pooler.example/gatehouse'
const OTHER = 'postgres://gatehouse@db.example/gatehouse'

test('readDatabaseUrls: returns the URLs for sessions and reads when they are set [ADM-ENV-3]', () => {
  expect(readDatabaseUrls({})).toEqual({})
  expect(readDatabaseUrls({ DATABASE_URL, GATEHOUSE_DATABASE_SESSION_URL: OTHER, GATEHOUSE_DATABASE_READ_URL: OTHER })).toEqual({
    databaseUrl: DATABASE_URL,
    databaseSessionUrl: OTHER,
    databaseReadUrl: OTHER,
  })
})

test.each(['GATEHOUSE_DATABASE_SESSION_URL', 'GATEHOUSE_DATABASE_READ_URL'])(
  'readDatabaseUrls: throws when %s is set without DATABASE_URL',
  (name) => {
    expect(() => readDatabaseUrls({ [name]: OTHER })).toThrow(/need DATABASE_URL/)
  },
)

test.each(['DATABASE_URL', 'GATEHOUSE_DATABASE_SESSION_URL', 'GATEHOUSE_DATABASE_READ_URL'])(
  'readDatabaseUrls: throws when %s is no URL of PostgreSQL or names several hosts',
  (name) => {
    expect(() => readDatabaseUrls({ DATABASE_URL, [name]: 'mysql://db.example/x' })).toThrow(`${name} must start with`)
    expect(() => readDatabaseUrls({ DATABASE_URL, [name]: 'postgres://u@one,two:5432/x' })).toThrow(`${name} must name one host`)
  },
)
