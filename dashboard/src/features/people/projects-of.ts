import type { User } from './user-form.tsx'

/** The projects that a user's attributes name. */
export function projectsOf({ attributes: { projects } }: Pick<User, 'attributes'>): readonly string[] {
  return Array.isArray(projects) ? projects.filter((name) => typeof name === 'string') : []
}
