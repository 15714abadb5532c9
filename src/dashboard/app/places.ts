/** Where an id leads, by its prefix. */
export const PLACES: readonly (readonly [prefix: string, place: (id: string) => string])[] = [
  ["em_", (id) => `/emails/${id}`],
  ["wh_", (id) => `/webhooks/${id}`],
  ["whd_", (id) => `/deliveries/${id}`],
  ["dom_", (id) => `/domains/${id}`],
  ["tpl_", (id) => `/templates/${id}`],
  ["cb_", (id) => `/contacts/${id}`],
  ["seg_", (id) => `/segments/${id}`],
  ["top_", (id) => `/topics?topic=${id}`],
  ["cmp_", (id) => `/campaigns/${id}`],
  ["sqn_", (id) => `/sequences/${id}`],
  ["lay_", (id) => `/layouts/${id}`],
  ["frm_", (id) => `/forms/${id}`],
  ["thr_", (id) => `/threads/${id}`],
]
