import { useList } from '../../api/queries.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { GroupsTable } from './groups-table.tsx'

export function Page() {
  const list = useList('/admin/v1/projects')
  return (
    <Frame title="Projects" description="Projects of users. Memories can be shared with a project.">
      <GroupsTable kind="project" label="Projects" list={list} />
    </Frame>
  )
}
