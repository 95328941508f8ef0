import type { ItemOf } from '../../api/operations.ts'

export type User = ItemOf<'/admin/v1/users'>

/** Paths whose data a change of a user affects. */
export const USER_PATHS = ['/admin/v1/users', '/admin/v1/departments', '/admin/v1/projects']

export const projectsOf = ({ attributes: { projects } }: Pick<User, 'attributes'>): string[] =>
  Array.isArray(projects) ? projects.filter((name) => typeof name === 'string') : []
