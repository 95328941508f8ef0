import { CloseButton, Fieldset, Group, Select, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { type Role, useScopes, useSession } from '../../api/session.ts'
import { roleChoices, rolePurpose } from '../../ui/roles.ts'
import { NO_ROLE, nameOf, type RoleValues } from './operator-roles.ts'

interface RolesFieldsProps<Values extends RoleValues> {
  readonly form: UseFormReturnType<Values>
}

/** Inputs of the role in all Workspaces and of the roles in single ones, as far as the signed-in operator may give them. */
export function RolesFields<Values extends RoleValues>({ form }: RolesFieldsProps<Values>) {
  const { t } = useTranslation('operators')
  const { hasScopeInAll } = useScopes()
  const workspaces = useSession().data?.workspaces ?? []
  const { role, workspaceRoles } = form.getValues()
  const isInAll = hasScopeInAll('operators:write')
  const isOnly = isInAll && workspaces.length < 2 && workspaceRoles.length === 0
  return (
    <>
      {isInAll && (
        <Select
          label={isOnly ? t('roles.label') : t('roles.inAll')}
          description={role === NO_ROLE ? undefined : rolePurpose(role)}
          data={isOnly ? roleChoices() : [{ value: NO_ROLE, label: t('roles.noneHere') }, ...roleChoices()]}
          allowDeselect={false}
          {...form.getInputProps('role')}
        />
      )}
      {!isOnly && <WorkspaceRoles form={form} />}
    </>
  )
}

function WorkspaceRoles<Values extends RoleValues>({ form }: RolesFieldsProps<Values>) {
  const { t } = useTranslation('operators')
  const workspaces = (useSession().data?.workspaces ?? []).filter(({ scopes }) => scopes.includes('operators:write'))
  const { workspaceRoles } = form.getValues()
  const change = (roles: RoleValues['workspaceRoles']) => {
    form.clearFieldError('role')
    form.setFieldValue('workspaceRoles', roles as never)
  }
  const others = workspaces.filter(({ id }) => workspaceRoles.every(({ workspaceId }) => workspaceId !== id))
  const add = (workspaceId: string | null) => workspaceId && change([...workspaceRoles, { workspaceId, role: 'read_only' }])
  return (
    <Fieldset legend={t('roles.inSingle')}>
      <Stack gap="xs">
        {workspaceRoles.map(({ workspaceId, role }) => {
          const workspace = nameOf(workspaces, workspaceId)
          const set = (next: Role | null) =>
            next && change(workspaceRoles.map((one) => (one.workspaceId === workspaceId ? { workspaceId, role: next } : one)))
          return (
            <Group key={workspaceId} gap="xs" wrap="nowrap">
              <Text size="sm" flex={1} truncate title={workspace}>
                {workspace}
              </Text>
              <Select
                aria-label={t('roles.roleIn', { workspace })}
                w={150}
                data={roleChoices()}
                allowDeselect={false}
                value={role}
                onChange={set}
              />
              <CloseButton
                aria-label={t('roles.remove', { workspace })}
                onClick={() => change(workspaceRoles.filter((one) => one.workspaceId !== workspaceId))}
              />
            </Group>
          )
        })}
        {others.length > 0 && (
          <Select
            aria-label={t('roles.add')}
            placeholder={t('roles.add')}
            searchable
            data={others.map(({ id, name }) => ({ value: id, label: name }))}
            value={null}
            onChange={add}
          />
        )}
        {(form.errors.workspaceRoles ?? form.errors.workspace_roles) ? (
          <Text size="xs" c="red" role="alert">
            {form.errors.workspaceRoles ?? form.errors.workspace_roles}
          </Text>
        ) : null}
      </Stack>
    </Fieldset>
  )
}
