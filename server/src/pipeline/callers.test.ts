import { expect, test } from 'vitest'
import { UNLIMITED } from '../domains/limits/lease.ts'
import { ANONYMOUS_USER, type Application, DEFAULT_LIMITS, DEFAULT_SETTINGS, type User } from '../shared/principal.ts'
import { viewerOf } from '../shared/viewer.ts'
import { TrustedCaller } from './callers.ts'
import { authenticate } from './stages/01-authenticate.ts'
import { identify } from './stages/03-identify.ts'

const application: Application = {
  id: 'app_1',
  workspaceId: 'ws_1',
  name: 'helper',
  settings: { ...DEFAULT_SETTINGS, role_clearance: { guest: 'public', agent: 'internal' } },
  limits: DEFAULT_LIMITS,
  models: null,
  providers: null,
  defaultModel: null,
  ceiling: 'restricted',
}
const user = (id: string, fields: Partial<User> = {}): User => ({ ...ANONYMOUS_USER, id, verified: true, ...fields })
const ann = user('ann', {
  role: 'engineer',
  department: 'research',
  attributes: { clearance: 'confidential', projects: ['atlas', 'birch'] },
})
const ben = user('ben', { role: 'analyst', department: 'research', attributes: { clearance: 'restricted', projects: ['birch'] } })

const viewer = (readers: readonly User[]) => {
  const [first = ann] = readers
  const caller = new TrustedCaller({ application, user: first, readers })
  return viewerOf({ application }, { user: caller.user, readers: caller.readers, sessionId: 'conv_1' })
}

test('stages 1 and 3: check neither key nor token when the caller is trusted', async () => {
  const refusing = () => Promise.reject(new Error('asked'))
  const caller = new TrustedCaller({ application, user: ann })
  const authenticator = { authenticate: refusing } as never
  expect(await authenticate({ authorization: undefined, internalCaller: caller }, { authenticator })).toMatchObject({
    application,
  })
  const asserting = { request: { user: { id: 'mallory' }, sessionId: 'conv_1' }, lease: UNLIMITED } as never
  const groups = { withGroups: (_: string, user: User) => user } as never
  const deps = { userTokens: { verify: refusing } as never, groups }
  const identity = await identify({ userToken: 'a.b.c', internalCaller: caller }, { application, keyId: '' }, asserting, deps)
  expect(identity).toEqual({ user: ann, readers: [ann], sessionId: 'conv_1' })
})

test('a caller that no user vouches for cannot be made', () => {
  expect(() => new TrustedCaller({ application, user: { ...ann, verified: false } })).toThrow(TypeError)
  expect(() => new TrustedCaller({ application, user: { ...ANONYMOUS_USER, verified: true } })).toThrow(TypeError)
  expect(() => new TrustedCaller({ application, user: ann, readers: [ben] })).toThrow(TypeError)
})

test('who reads alone sees as themselves', () => {
  expect(viewer([ann])).toMatchObject({ user: ann, ceiling: 'confidential' })
})

test('several readers see what is common to all of them, and as no user of their own', () => {
  expect(viewer([ann, ben])).toMatchObject({
    user: { id: '', role: '', department: 'research', attributes: { projects: ['birch'] }, verified: true },
    ceiling: 'confidential',
  })
})

test('several readers have the groups and roles of all of them, and each of them can be denied', () => {
  const readers = [
    { ...ann, roles: ['lead', 'agent'], groups: ['staff', 'emea'] },
    { ...ben, roles: ['agent'], groups: ['staff', 'contractors'] },
  ]
  expect(viewer(readers)).toMatchObject({ user: { role: 'agent', roles: ['agent'], groups: ['staff'] }, readers })
})

test('the highest clearance of several roles counts', () => {
  expect(viewer([user('hal', { role: 'guest', roles: ['guest', 'agent'] })]).ceiling).toBe('internal')
})

test('one guest takes the clearance, the department and the projects from all', () => {
  expect(viewer([ann, ben, user('gil', { role: 'guest' })])).toMatchObject({
    user: { id: '', role: '', department: '', attributes: { projects: [] } },
    ceiling: 'public',
  })
})
