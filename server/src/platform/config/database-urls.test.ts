import { describe, expect, test } from 'vitest'
import { readDatabaseUrls } from './database-urls.ts'

const DATABASE_URL = 'postgres://gatehouse@pooler.example/gatehouse'
const OTHER = 'postgres://gatehouse@db.example/gatehouse'

describe('readDatabaseUrls', () => {
  test('readDatabaseUrls: returns the URLs for sessions and reads when they are set [ADM-ENV-3]', () => {
    expect(readDatabaseUrls({})).toEqual({})
    expect(readDatabaseUrls({ DATABASE_URL, GATEHOUSE_DATABASE_SESSION_URL: OTHER, GATEHOUSE_DATABASE_READ_URL: OTHER })).toEqual(
      { databaseUrl: DATABASE_URL, databaseSessionUrl: OTHER, databaseReadUrl: OTHER },
    )
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
      expect(() => readDatabaseUrls({ DATABASE_URL, [name]: 'postgres://u@one,two:5432/x' })).toThrow(
        `${name} must name one host`,
      )
    },
  )
})
