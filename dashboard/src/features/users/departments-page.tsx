import { useList } from '../../api/queries.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { GroupsTable } from './groups-table.tsx'

export function Page() {
  const list = useList('/admin/v1/departments')
  return (
    <Frame title="Departments" description="Departments of users. Documents and memories can be shared with a department.">
      <GroupsTable kind="department" label="Departments" list={list} />
    </Frame>
  )
}
