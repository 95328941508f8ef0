/** What a change of a user may change. */
export const PEOPLE = ['/admin/v1/users', '/admin/v1/departments', '/admin/v1/projects']
