//! The control API's messages and services, generated from phalanx/v1/*.proto.
