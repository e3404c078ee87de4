/** These texts differ between services. The service fills them in when it sends a file (packages/service/web/reference-routes.ts). */

export const PLACEHOLDER = /\{\{(\w+)\}\}/g

/** The URL of the service as the reader called it. */
export const ORIGIN = '{{origin}}'
/** The URL that the operator configured, for the OpenAPI document. */
export const SERVER_URL = '{{server_url}}'
export const APP_ID = '{{app_id}}'
export const APP_HEADER = '{{app_header}}'
/** The words of a search without scripts, and the list of its results. */
export const QUERY = '{{query}}'
export const RESULTS = '{{results}}'
