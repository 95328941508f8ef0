import type { User } from './user-form.tsx'

/** Projects in the user's attributes. */
export function projectsOf({ attributes: { projects } }: Pick<User, 'attributes'>): readonly string[] {
  return Array.isArray(projects) ? projects.filter((name) => typeof name === 'string') : []
}
