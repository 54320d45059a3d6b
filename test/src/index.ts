// What tests across packages share.
export { konnectOpenApiFolder, loadKonnectOpenApi } from './konnectOpenApi';
export type { Exchange, KonnectOpenApi, Violation } from './konnectOpenApi';
export { recordExchanges } from './konnectExchanges';
export type { ExchangeRecorder } from './konnectExchanges';
