import { Box, Button, Menu, Text } from '@mantine/core'
import { IconBookmark, IconCheck } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAll, useChange } from '../api/queries.ts'
import { notifyError, notifySuccess } from '../ui/notify.ts'
import { DeleteView } from './delete-view.tsx'
import { ViewForm } from './view-form.tsx'
import { isModified, useViewState, type View } from './view-state.ts'

const PATH = '/admin/v1/views'

interface ViewsProps {
  /** Name of the list, the same as of its column choice: `audit`. */
  readonly page: string
}

/**
 * Menu of a list whose filters are in the URL: shows a saved view, and saves filters, sort, period and columns as one. Place it after the
 * filters: `<Views page="audit" />`.
 */
export function Views({ page }: ViewsProps) {
  const { t } = useTranslation()
  const { items: views = [] } = useAll(PATH, { params: { query: { page } } })
  const state = useViewState(page)
  const [dialog, setDialog] = useState<'create' | 'edit' | 'delete'>()
  const selected = views.find(({ id }) => id === state.viewId)
  const modified = selected !== undefined && isModified(selected, state.shown)
  const close = () => setDialog(undefined)
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button variant={selected ? 'light' : 'default'} leftSection={<IconBookmark size={16} />} maw={240}>
            <Text span inherit truncate>
              {selected ? (modified ? t('views.modified', { name: selected.name }) : selected.name) : t('views.title')}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <ViewItems
            label={t('views.mine')}
            views={views.filter(({ shared }) => !shared)}
            selected={selected}
            onShow={state.show}
          />
          <ViewItems
            label={t('views.shared')}
            views={views.filter(({ shared }) => shared)}
            selected={selected}
            onShow={state.show}
          />
          {views.length === 0 && <Menu.Label>{t('views.none')}</Menu.Label>}
          <Menu.Divider />
          {selected && modified && <ModifiedItems view={selected} state={state} />}
          <Menu.Item onClick={() => setDialog('create')}>{t('views.save')}</Menu.Item>
          {selected?.can_edit && <Menu.Item onClick={() => setDialog('edit')}>{t('views.edit')}</Menu.Item>}
          <Menu.Item onClick={() => void copyLink(t('views.linkCopied'))}>{t('views.copyLink')}</Menu.Item>
          {selected && <Menu.Item onClick={() => state.select(undefined)}>{t('views.leave')}</Menu.Item>}
          {selected?.can_edit && (
            <Menu.Item c="var(--mantine-color-error)" onClick={() => setDialog('delete')}>
              {t('views.delete')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'create' && <ViewForm page={page} shown={state.shown} onSaved={({ id }) => state.select(id)} onClose={close} />}
      {dialog === 'edit' && selected && <ViewForm page={page} view={selected} shown={state.shown} onClose={close} />}
      {dialog === 'delete' && selected && (
        <DeleteView view={selected} onDeleted={() => state.select(undefined)} onClose={close} />
      )}
    </>
  )
}

interface ViewItemsProps {
  readonly label: string
  readonly views: readonly View[]
  readonly selected: View | undefined
  readonly onShow: (view: View) => void
}

function ViewItems({ label, views, selected, onShow }: ViewItemsProps) {
  const id = useId()
  if (views.length === 0) return null
  return (
    <Box role="group" aria-labelledby={id}>
      <Menu.Label id={id}>{label}</Menu.Label>
      {views.map((view) => (
        <Menu.Item
          key={view.id}
          title={view.owner.name ?? ''}
          {...(view === selected && { 'aria-current': true, leftSection: <IconCheck size={14} /> })}
          onClick={() => onShow(view)}
        >
          {view.name}
        </Menu.Item>
      ))}
    </Box>
  )
}

interface ModifiedItemsProps {
  readonly view: View
  readonly state: ReturnType<typeof useViewState>
}

/** Actions for a list that differs from its view. */
function ModifiedItems({ view, state }: ModifiedItemsProps) {
  const { t } = useTranslation()
  const update = useChange('patch', '/admin/v1/views/{id}', {
    refresh: [PATH],
    onDone: ({ name }) => notifySuccess(t('views.updated', { name })),
  })
  const save = () => update.mutate({ params: { path: { id: view.id } }, body: state.shown }, { onError: notifyError })
  return (
    <>
      {view.can_edit && <Menu.Item onClick={save}>{t('views.update', { name: view.name })}</Menu.Item>}
      <Menu.Item onClick={() => state.show(view)}>{t('views.discard')}</Menu.Item>
    </>
  )
}

/** The URL has the filters too, so the link also works for operators who do not see the view. */
async function copyLink(confirmation: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href)
    notifySuccess(confirmation)
  } catch (error) {
    notifyError(error)
  }
}
