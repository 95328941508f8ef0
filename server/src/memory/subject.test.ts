import { describe, expect, test } from 'vitest'
import { subjectKey, subjectOf } from './subject.ts'

describe('subjectOf: same subject', () => {
  test.each([
    ['my favourite tea is Assam', 'The user’s favorite tea is Darjeeling.'],
    ['My name is Bob.', 'my name is now Robert'],
    ['The deadline of project Atlas is 3 May', 'Project Atlas deadline: 4 May'],
    ["Atlas's status is green", 'status of Atlas = red'],
    ['My manager is Alice', 'Our manager is Bob van Dyk'],
    ['I prefer tea over coffee', 'The user prefers coffee to tea'],
    ['I live in Berlin', 'the user now lives in Bern'],
    ['I work at Acme', 'I work for Initech'],
    ['I prefer to be called Al', 'The user prefers to be called Alan'],
  ])('%j and %j', (a, b) => {
    const subject = subjectOf(a, 'user')
    expect(subject).not.toBeNull()
    expect(subjectOf(b, 'user')).toBe(subject)
  })
})

describe('subjectOf: different subjects', () => {
  test.each([
    ['my favourite tea is Assam', 'my favourite coffee is Arabica'],
    ['The deadline of project Atlas is 3 May', 'The deadline of project Borealis is 3 May'],
    ['The deadline of project Atlas is 3 May', 'The budget of project Atlas is 3'],
    ["Alice's manager is Bob", "Carol's manager is Bob"],
    ['Alice lives in Bern', 'I live in Bern'],
    ['I prefer tea over coffee', 'I prefer tea over milk'],
  ])('%j and %j', (a, b) => {
    expect(subjectOf(a, 'user')).not.toBeNull()
    expect(subjectOf(a, 'user')).not.toBe(subjectOf(b, 'user'))
  })
})

describe('subjectOf: no subject', () => {
  test.each([
    'I prefer tea',
    'I like tea',
    'The office is closed on Mondays',
    'my manager is ill',
    'my manager is on holiday',
    'my name is not Bob',
    'Is my name Bob?',
    'my name is Bob and my manager is Alice',
    'My name is Bob. I live in Bern.',
    'The status is green; the budget is gone',
    'the deadline is unknown',
    'hello',
    '',
    `my name is ${'x'.repeat(400)}`,
  ])('%j', (statement) => {
    expect(subjectOf(statement, 'user')).toBeNull()
  })

  test.each(['My name is Bob', 'I live in Berlin', "The user's manager is Alice", 'The user prefers tea to coffee'])(
    '%j, where many share it',
    (statement) => {
      for (const scope of ['application', 'department', 'project', 'workspace'] as const) {
        expect(subjectOf(statement, scope)).toBeNull()
      }
    },
  )
})

test('subjectKey: equals the subject of a statement', () => {
  expect(subjectKey('favourite tea')).toBe(subjectOf('my favourite tea is Assam', 'user'))
  expect(subjectKey('Deadline of Project Atlas')).toBe(subjectOf('The project atlas deadline is May', 'project'))
  expect(subjectKey(' ! ')).toBeNull()
  expect(subjectKey('x '.repeat(5_000))?.length).toBeLessThanOrEqual(200)
})

test('subjectKey: a word stays a word when it is the name of an inherited field', () => {
  expect(subjectKey('constructor')).toBe('constructor')
})
