// Types of imported style sheets.
/// <reference types="@backstage/cli/asset-types" />
