import { useList } from '../../api/queries.ts'
import { GroupsPage } from './groups-page.tsx'

export const Page = () => <GroupsPage kind="project" list={useList('/admin/v1/projects')} />
