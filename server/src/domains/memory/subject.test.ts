import { describe, expect, test } from 'vitest'
import { isSameSubject, subjectKey, subjectOf } from './subject.ts'

describe('subjectOf: same subject', () => {
  test.each([
    ['my favourite tea is Assam', 'The user’s favorite tea is Darjeeling.'],
    ['My name is Bob.', 'my name is now Robert'],
    ['The deadline of project Atlas is 3 May', 'Project Atlas deadline: 4 May'],
    ["Atlas's status is green", 'status of Atlas = red'],
    ['My manager is Alice', 'My manager is Bob van Dyk'],
    ['The price of plan A is 5', 'Price of plan A: 6'],
    ['The price of the train from Berlin to Paris is 100 euro', 'The price of the train from Berlin to Paris is 90 euro'],
    ['The version of C++ is 20', 'The C++ version is 23'],
    ['My address is 5 Long Road', 'My address is 7 High Street'],
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
    ['The price of the train from Berlin to Paris is 100 euro', 'The price of the train from Paris to Berlin is 140 euro'],
    ['The time from Rome to Oslo: 5 hours', 'The price from Rome to Oslo: 5 euro'],
    ['The fee of plan A is 10 euro', 'The fee of the plan is 20 euro'],
    ['The fee of plan A is 10 euro', 'The fee of plan B is 20 euro'],
    ['My budget is 100 euro', 'Our budget is 900 euro'],
    ['The budget of my team is 100 euro', 'The budget of the team is 900 euro'],
    ['The version of C++ is 20', 'The version of C# is 12'],
    ['The version of C is 17', 'The version of C++ is 20'],
    ['The price in zone -5 is 3', 'The price in zone 5 is 4'],
    ['The fee for Atlas is 5', 'The fee of Atlas is 6'],
    ['The current price of Atlas is 5', 'The new price of Atlas is 6'],
    ['The size of the user group is 5', 'The size of the group is 6'],
    ['The price of Apple is 200', 'The price of apple is 2'],
    ['The limit of US is 5', 'The limit of us is 6'],
    ['I prefer C++ over Java', 'I prefer C# over Java'],
    ['I prefer tea over coffee', 'We prefer coffee over tea'],
  ])('%j and %j', (a, b) => {
    const newer = { content: b, isSubjectStated: false }
    const subject = subjectOf(a, 'user')
    const isReplaced = subject !== null && subject === subjectOf(b, 'user') && isSameSubject(newer, { content: a }, 'user')
    expect(isReplaced).toBe(false)
  })

  test.each([
    ['The train from Berlin to Paris takes 8 hours', 'The train from Paris to Berlin takes 8 hours'],
    ["Ann's manager is Bob", "Tom's manager is Bill"],
    ['The price of the train from Berlin to Paris is 100 euro', 'The price of the train from Paris to Berlin is 140 euro'],
  ])('isSameSubject: %j and %j are different, also when the same subject is stated', (a, b) => {
    expect(isSameSubject({ content: b, isSubjectStated: true }, { content: a }, 'user')).toBe(false)
  })

  test('isSameSubject: a stated subject counts when the statements say nothing else', () => {
    const newer = { content: 'Coffee from now on', isSubjectStated: true }
    expect(isSameSubject(newer, { content: 'Tea it is' }, 'user')).toBe(true)
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
    'My budget is 100 euro in May',
    'The price of Atlas is 5 euro for members',
    'The price of Atlas is 5 euro per month',
    'The price of Atlas is 5 euro, 3 with a card',
    'My favourite tea is also Sencha',
    'My favourite tea is sometimes Assam',
    'My favourite tea is Assam or Sencha',
    'My team is tired',
    'My job is stressful',
    'The budget is tight',
    'I live in a small flat',
    'I live in Rome in summer',
    'I work at night',
    'I prefer to be contacted by phone for emergencies',
    'Die Frist ist der 3. Mai',
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
  expect(subjectKey('train from Berlin to Paris')).not.toBe(subjectKey('train from Paris to Berlin'))
  expect(subjectKey('plan A')).not.toBe(subjectKey('the plan'))
  expect(subjectKey(' ! ')).toBeNull()
  expect(subjectKey('x '.repeat(5_000))?.length).toBeLessThanOrEqual(200)
})

test('subjectKey: a word stays a word when it is the name of an inherited field', () => {
  expect(subjectKey('constructor')).toBe('constructor')
})
